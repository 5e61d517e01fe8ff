"use strict";
const express = require("express");
const { native } = require("routecontrollers/express");

const app = express();
/* first */ app.get("/a", native((req, res) => {
	return res.html("a\r\n");
}), (req, res) => {
	res.send("a\r\n");
});
app.get(
	"/c",
	native((req, res) => res.html("c")),
	(req, res) => res.send("c"),
);
app.get("/b",
	native((req, res) => res.html("b")),
	(req, res) => res.send("b"));

module.exports = app;
