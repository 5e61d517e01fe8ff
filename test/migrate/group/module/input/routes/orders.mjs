import express from 'express';

const app = express();
app.set('json spaces', 2);
export { app as handlers };
app.use(express.json());

app.post('/', (req, res) => res.status(201).json(req.body));
app.get('/:id', (req, res) => res.json({ id: req.params.id }));
