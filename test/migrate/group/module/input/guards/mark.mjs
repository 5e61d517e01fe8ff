const marking = (letter) => (req, res, next) => {
  res.append('X-Mark', letter);
  next();
};
export const mark = marking('a');
export const second = marking('b');
export const third = marking('c');
export const fourth = marking('d');
