import { Router } from 'express';

export const shop = Router({ mergeParams: true });
shop.get('/name', (req, res) => res.json(req.params));
