import express from 'express';

/** Its routes are made when it is called. */
export function createTeas(teas) {
  const teasRouter = express.Router();
  const find = (req, res, next) => {
    req.tea = teas.find((tea) => tea === req.params.tea);
    next(req.tea === undefined ? new Error('no tea') : undefined);
  };
  teasRouter.get('/', (req, res) => res.json(teas));
  teasRouter.get('/:tea', find, (req, res) => res.json({ tea: req.tea }));
  return teasRouter;
}
