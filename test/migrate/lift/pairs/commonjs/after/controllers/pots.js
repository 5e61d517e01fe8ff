const list = (store) => (req, res) => {
  res.json(store);
};

const listNative = (store) => (req, res) => {
  return res.json(store);
};

module.exports = {
  list,
  listNative,
  showNative: async req => ({ pot: req.params.id }),
};
