const cluster = require('node:cluster')
if (cluster.isPrimary) cluster.fork()
else require('./legacy.cjs')
