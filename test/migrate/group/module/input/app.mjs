import express from 'express';
import requireUser from './guards/require-user.mjs';
import * as roles from './guards/roles.mjs';
import { mark as first } from './guards/mark.mjs';
import { second, third, fourth } from './guards/mark.mjs';
import accounts from './routes/accounts.mjs';
import { createTeas } from './routes/teas.mjs';
import { handlers as orders } from './routes/orders.mjs';
import { shop } from './routes/shop.mjs';
import { late } from './routes/late.mjs';

export const app = express();
const closed = (req, res) => res.status(410).send('closed');

app.use('/accounts', requireUser, roles.allow, accounts);
app.use('/teas', [first, second], third, fourth, requireUser, createTeas(['assam', 'keemun']));
app.use('/orders', requireUser, orders);
app.use('/:shop/shop', shop);
app.use('/closed', closed);
app.use('/', late);
app.use((error, req, res, next) => {
  res.status(500).send(error.message);
});
