import express from 'express';
import { fromConnect, group, RouteControllers } from 'routecontrollers';
import { fromExpress, fromRouter } from 'routecontrollers/express';
import { mark as first, second, third, fourth } from '../guards/mark.mjs';
import requireUser from '../guards/require-user.mjs';

/** Its routes are made when it is called. */
export function createTeas(teas) {
  const teasRouter = express.Router();
  const find = (req, res, next) => {
    req.tea = teas.find((tea) => tea === req.params.tea);
    next(req.tea === undefined ? new Error('no tea') : undefined);
  };
  const teasRoutes = (teasGroup) => [
  teasGroup.get('/', fromExpress((req, res) => res.json(teas))),
  teasGroup.get('/:tea', fromExpress(find, (req, res) => res.json({ tea: req.tea }))),
  ];
  teasRouter.use(new RouteControllers(teasRoutes(group('')), { profile: fromRouter(teasRouter) }).middleware());
  teasRouter.controllers = teasRoutes(group('/teas', fromConnect(first), fromConnect(second), fromConnect(third), fromConnect(fourth)).with(fromConnect(requireUser)));
  return teasRouter;
}
