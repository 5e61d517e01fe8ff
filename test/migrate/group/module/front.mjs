// The groups in front of the app, with what stands before and behind all of its routes.
import { RouteControllers, Server, toListener } from 'routecontrollers';
import { fromApp } from 'routecontrollers/express';
import { app } from './app.mjs';
import { accountsControllers } from './routes/accounts.mjs';
import { handlers as orders, ordersControllers } from './routes/orders.mjs';

const teas = app.router.stack.find(({ handle }) => handle.controllers !== undefined && handle !== orders);
const onError = (error, req, res, next) => {
  res.status(500).send(error.message);
};
const ofApp = new RouteControllers([...accountsControllers, ...teas.handle.controllers], { profile: fromApp(app) });
ofApp.addGlobal(onError);
// Those of an app within the app have its settings.
const ofOrders = new RouteControllers(ordersControllers, { profile: fromApp(orders) });
ofOrders.addGlobal(onError);

const marked = (req, res) => {
  res.setHeader('X-Behind', 'yes');
  app(req, res);
};
// The command looks into an app alone.
const behind = process.env.MARK === undefined ? app : marked;
const server = new Server();
await server.start({
  port: 0,
  host: '127.0.0.1',
  routeControllers: ofApp,
  fallback: toListener(ofOrders.getCallback(), { fallback: behind }),
});
process.stdout.write(`${new URL(server.getURL()).port}\n`);
// Ends with who has started it.
if (process.send !== undefined) process.on('disconnect', () => process.exit());
