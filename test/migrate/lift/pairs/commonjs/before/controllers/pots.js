const { native } = require('routecontrollers/express');

const list = (store) => (req, res) => {
  res.json(store);
};

const listNative = (store) => native((req, res) => {
  return res.json(store);
});

module.exports = {
  list,
  listNative,
  showNative: native(async req => ({ pot: req.params.id })),
};
