import express from 'express';
import { fromConnect, group, RouteControllers } from 'routecontrollers';
import { fromApp, fromExpress } from 'routecontrollers/express';
import requireUser from '../guards/require-user.mjs';

const app = express();
app.set('json spaces', 2);
export { app as handlers };
const jsonParser = express.json();
app.use(jsonParser);

const ordersRoutes = (ordersGroup) => [
ordersGroup.post('/', fromExpress((req, res) => res.status(201).json(req.body))),
ordersGroup.get('/:id', fromExpress((req, res) => res.json({ id: req.params.id }))),
];
app.use(new RouteControllers(ordersRoutes(group('')), { profile: fromApp(app) }).middleware());
export const ordersControllers = ordersRoutes(group('/orders', fromConnect(requireUser), fromConnect(jsonParser)));
