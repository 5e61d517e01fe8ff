export function allow(req, res, next) {
  if (req.user === 'ada' || req.user === 'admin') return next();
  res.sendStatus(403);
}
