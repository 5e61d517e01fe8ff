// Which files need the package of Express when they run.
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { importsExpress } from '../../../packages/cli/src/lift/needs-express.js'

it.each<[boolean, string]>([
  [true, "import express from 'express'"],
  [true, "import 'express'"],
  [true, "import { type Request, Router } from 'express'"],
  [true, "const { Router } = require('express')"],
  [true, "app.use(require('express').json())"],
  [false, "import type { Request } from 'express'"],
  [false, "import type express from 'express'"],
  [false, "import { type Request, type Response } from 'express'"],
  [false, "import { native } from 'routecontrollers/express'"],
  [false, "log('express')"],
])('a file imports Express: %s, %s', (is, text) => {
  const source = readText('/app.ts', text)
  if (typeof source === 'string') throw new Error(source)
  expect(importsExpress(source)).toBe(is)
})
