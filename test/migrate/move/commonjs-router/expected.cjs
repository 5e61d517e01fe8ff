'use strict';

const express = require('express');
const { Controller, RouteControllers } = require('routecontrollers');
const { expressPath, fromApp, fromExpress, fromRouter } = require('routecontrollers/express');
const app = express();
const users = express.Router({ mergeParams: true });
const base = '/v1';

// Who may come in.
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.status(401).send('who are you?'));

app.disable('x-powered-by');
app.set('json spaces', 2);

app.use(new RouteControllers([
new Controller('GET', expressPath('/health'), fromExpress((req, res) => {
  res.json({ ok: true });
})), // for the load balancer

// The version, and what follows from it.
new Controller('GET', expressPath(`${base}/version`), fromExpress((req, res) => res.send('1.2.3'))),
], { profile: fromApp(app) }).middleware());
app.use(express.json({ limit: '1kb' }));
app.use(new RouteControllers([new Controller('POST', expressPath(base + '/echo'), fromExpress((req, res) => res.json(req.body)))], { profile: fromApp(app) }).middleware());

users.use(new RouteControllers([
new Controller('GET', expressPath('/'), fromExpress(requireUser, (req, res) => res.json({ team: req.params.team }))),
  new Controller('GET', expressPath('/:id'), fromExpress(requireUser, (req, res) => res.json(req.params))),
  // also by a mail
  new Controller('GET', expressPath(/^\/mail\/(.+)$/), fromExpress([requireUser], (req, res) => res.json(req.params))),
], { profile: fromRouter(users) }).middleware());
users.use((req, res, next) => {
  res.set('x-late', 'yes');
  next();
});
users.use(new RouteControllers([
new Controller('DELETE', expressPath(['/:id', '/of/:id']), fromExpress(requireUser, (req, res) => res.sendStatus(204))),
new Controller('PUT', expressPath('/:id'), fromExpress(
  requireUser,
  (req, res) => {
    res.json(req.params);
  },
)),
new Controller('*', expressPath('/:id/any'), fromExpress((req, res) => res.send(req.method))),
], { profile: fromRouter(users) }).middleware());

app.use('/teams/:team/users', users);
app.use((req, res) => res.status(404).send(`no ${req.path}`));

module.exports = app;
