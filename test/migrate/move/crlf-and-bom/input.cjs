"use strict";
const express = require("express");

const app = express();
/* first */ app.get("/a", (req, res) => {
	res.send("a\r\n");
});
app.get(
	"/c",
	(req, res) => res.send("c"),
);
app.get("/b",
	(req, res) => res.send("b"));

module.exports = app;
