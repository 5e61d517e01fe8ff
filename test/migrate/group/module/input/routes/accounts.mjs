import { Router } from 'express';

const router = Router();
export default router;

router.use((req, res, next) => {
  res.set('X-User-Is', req.user);
  next();
});
router
  .route('/:id')
  // Reads
  .get((req, res) => res.json({ id: req.params.id, by: req.user }))
  .put((req, res) => res.json({ put: req.params.id })); // writes
router.get('/:id/name', async (req, res) => {
  await null;
  if (req.params.id === 'none') throw new Error('nobody');
  res.send(req.params.id);
});
