'use strict';

const express = require('express');
const { fromExpress, native } = require('routecontrollers/express');
const app = express();
const users = express.Router({ mergeParams: true });
const base = '/v1';

// Who may come in.
const requireUser = (req, res, next) => (req.get('x-user') ? next() : res.status(401).send('who are you?'));

app.disable('x-powered-by');
app.set('json spaces', 2);

app.get('/health', native((req, res) => {
  return res.json({ ok: true });
}), (req, res) => {
  res.json({ ok: true });
}); // for the load balancer

// The version, and what follows from it.
app.get(`${base}/version`, native((req, res) => res.html('1.2.3')), (req, res) => res.send('1.2.3'));
app.use(express.json({ limit: '1kb' }));
app.post(base + '/echo',
  native(fromExpress((req, res) => res.json(req.body))),
  (req, res) => res.json(req.body));

users.get('/', requireUser,
  native((req, res) => res.json({ team: req.params.team })),
  (req, res) => res.json({ team: req.params.team }));
users
  .get('/:id', requireUser,
    native((req, res) => res.json(req.params)),
    (req, res) => res.json(req.params))
  // also by a mail
  .get(/^\/mail\/(.+)$/, [requireUser],
    native((req, res) => res.json(req.params)),
    (req, res) => res.json(req.params));
users.use((req, res, next) => {
  res.set('x-late', 'yes');
  next();
});
users.delete(['/:id', '/of/:id'], requireUser,
  native((req, res) => res.status(204).text('No Content'), { body: 'stream' }),
  (req, res) => res.sendStatus(204));
users.put(
  '/:id',
  requireUser,
  native((req, res) => {
    return res.json(req.params);
  }, { body: 'stream' }),
  (req, res) => {
    res.json(req.params);
  },
);
users.all('/:id/any',
  native((req, res) => res.html(req.method), { body: 'stream' }),
  (req, res) => res.send(req.method));

app.use('/teams/:team/users', users);
app.use((req, res) => res.status(404).send(`no ${req.path}`));

module.exports = app;
