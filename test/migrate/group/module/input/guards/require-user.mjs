export default function requireUser(req, res, next) {
  req.user = req.get('x-user');
  if (req.user === undefined) res.sendStatus(401);
  else next();
}
