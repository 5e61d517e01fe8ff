import { Router } from 'express';
import { fromConnect, group, RouteControllers } from 'routecontrollers';
import { fromExpress, fromRouter } from 'routecontrollers/express';
import requireUser from '../guards/require-user.mjs';
import * as roles from '../guards/roles.mjs';

const router = Router();
export default router;

const guard = (req, res, next) => {
  res.set('X-User-Is', req.user);
  next();
};
router.use(guard);
const accountsRoutes = (accountsGroup) => [
  // Reads
  accountsGroup.get('/:id', fromExpress((req, res) => res.json({ id: req.params.id, by: req.user }))),
  accountsGroup.put('/:id', fromExpress((req, res) => res.json({ put: req.params.id }))), // writes
accountsGroup.get('/:id/name', fromExpress(async (req, res) => {
  await null;
  if (req.params.id === 'none') throw new Error('nobody');
  res.send(req.params.id);
})),
];
router.use(new RouteControllers(accountsRoutes(group('')), { profile: fromRouter(router) }).middleware());
export const accountsControllers = accountsRoutes(group('/accounts', fromConnect(requireUser), fromConnect(roles.allow), fromConnect(guard)));
