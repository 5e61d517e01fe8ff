// The environment is the child's own: the preload comes with the arguments of Node.
if (process.argv[2] === 'child') require('./legacy.cjs')
else require('node:child_process').fork(__filename, ['child'], { env: {} })
