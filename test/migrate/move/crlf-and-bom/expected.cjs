"use strict";
const express = require("express");
const { Controller, RouteControllers } = require("routecontrollers");
const { expressPath, fromApp, fromExpress } = require("routecontrollers/express");

const app = express();
/* first */ app.use(new RouteControllers([
new Controller("GET", expressPath("/a"), fromExpress((req, res) => {
	res.send("a\r\n");
})),
new Controller("GET", expressPath("/c"), fromExpress(
	(req, res) => res.send("c"),
)),
new Controller("GET", expressPath("/b"),
	fromExpress((req, res) => res.send("b"))),
], { profile: fromApp(app) }).middleware());

module.exports = app;
