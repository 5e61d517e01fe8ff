import { Router } from 'express';

export const late = Router();
const hello = (req, res) => res.send('hello');
late.get('/closed/:name', hello);
late.get('/late', await Promise.resolve(hello));
late.get('/:shop/closed', hello);
