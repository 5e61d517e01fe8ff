import request from 'supertest'
import type { Serving } from '../../examples/express-app/serve.js'
import {
  createTestSetup,
  inFront,
  inside,
  inside4,
  legacy,
  standalone,
  takenOver,
} from './express-app-ways.js'

const ways = [legacy[5], inside, inFront, standalone, legacy[4], inside4, ...takenOver]

describe.each(ways)('the shop, served by $name', ({ serve, whole }) => {
  let shop: Serving
  let log: string[]

  beforeEach(async () => {
    log = []
    shop = await serve(createTestSetup(log), 0)
  })

  afterEach(() => shop.stop())

  describe('the catalogue', () => {
    it('comes a page at a time', async () => {
      const { status, body } = await request(shop.url).get('/products?page=2&size=3')
      expect(status).toBe(200)
      expect(body).toMatchObject({ page: 2, pages: 6, total: 16 })
      expect(ids(body)).toEqual(['longjing', 'jasmine-pearls', 'earl-grey'])
    })

    it('is filtered by category and by words in the name', async () => {
      const { body } = await request(shop.url).get('/products?category=green&q=CHA')
      expect(ids(body)).toEqual(['sencha', 'genmaicha', 'matcha'])
    })

    it('takes the last of a repeated filter', async () => {
      const { body } = await request(shop.url).get('/products?category=green&category=white')
      expect(ids(body)).toEqual(['silver-needle', 'white-peony'])
    })

    it('refuses a page that is no number', async () => {
      const { status, body } = await request(shop.url).get('/products?page=two')
      expect([status, body]).toEqual([400, { error: 'page must be a whole number from 1 on' }])
    })

    it('shows one product and remembers it in a cookie', async () => {
      const { status, body, headers } = await request(shop.url).get('/products/tieguanyin')
      expect([status, body.price]).toEqual([200, 1590])
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^lastViewed=Ti%C4%9B%20Gu%C4%81ny%C4%ABn; Max-Age=2592000; Path=\/; .*HttpOnly/,
        ),
      ])
    })

    it('has no product under an unknown id', async () => {
      const { status, body } = await request(shop.url).get('/products/caf%C3%A9')
      expect([status, body]).toEqual([404, { error: 'There is no product café' }])
    })

    it('is exported as CSV', async () => {
      const { status, text, headers } = await request(shop.url).get('/products.csv')
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(headers['content-disposition']).toBe('attachment; filename="products.csv"')
      expect(text.split('\r\n')).toHaveLength(18)
      expect(text).toContain('chamomile,"Chamomile ""Roman"", whole flowers",herbal,590,48\r\n')
    })

    it('is still found under its old address', async () => {
      const { status, headers } = await request(shop.url).get('/teas').redirects(0)
      expect([status, headers.location]).toEqual([301, '/products'])
    })
  })

  describe('the cart', () => {
    it('is empty, and makes no session, until something is added', async () => {
      const { body, headers } = await request(shop.url).get('/cart')
      expect(body).toEqual({ lines: [], total: 0 })
      expect(headers['set-cookie']).toBeUndefined()
    })

    it('adds up, in the session of one customer', async () => {
      const customer = request.agent(shop.url)
      await customer.post('/cart').send({ productId: 'sencha', quantity: 2 }).expect(201)
      await customer.post('/cart').send({ productId: 'sencha' }).expect(201)
      await customer.post('/cart').send({ productId: 'assam' }).expect(201)

      const { body } = await customer.get('/cart')
      expect(body).toEqual({
        lines: [
          { productId: 'sencha', name: 'Sencha', quantity: 3, total: 2670 },
          { productId: 'assam', name: 'Assam', quantity: 1, total: 650 },
        ],
        total: 3320,
      })
      expect((await request(shop.url).get('/cart')).body.total).toBe(0)
    })

    it('takes a form as well as JSON', async () => {
      const { status, body } = await request(shop.url)
        .post('/cart')
        .type('form')
        .send('productId=rooibos&quantity=2')
      expect([status, body.total]).toEqual([201, 1080])
    })

    it.each([
      [{ productId: 'coffee' }, 400, 'productId names no product'],
      [{ productId: 'sencha', quantity: 0 }, 400, 'quantity must be a whole number from 1 on'],
      [{ productId: 'da-hong-pao', quantity: 5 }, 409, 'Only 4 of Dà Hóng Páo left'],
    ])('refuses %j', async (item, status, error) => {
      const answer = await request(shop.url).post('/cart').send(item)
      expect([answer.status, answer.body]).toEqual([status, { error }])
    })

    it('is emptied', async () => {
      const customer = request.agent(shop.url)
      await customer.post('/cart').send({ productId: 'sencha' })
      const { status, text } = await customer.delete('/cart')
      expect([status, text]).toEqual([204, ''])
      expect((await customer.get('/cart')).body.total).toBe(0)
    })
  })

  describe('operations', () => {
    it('are healthy', async () => {
      const { status, body } = await request(shop.url).get('/health')
      expect([status, body]).toEqual([200, { status: 'ok', products: 16 }])
    })

    it.each([undefined, 'guessed'])('keep the report from those whose admin token is %s', async (token) => {
      const { status, body } = await request(shop.url).get('/admin/report').set(tokenHeader(token))
      expect([status, body]).toEqual([401, { error: 'Send the admin token as X-Admin-Token' }])
    })

    it('show the report to the admin', async () => {
      const { status, body } = await request(shop.url).get('/admin/report').set(tokenHeader('teapot'))
      expect([status, body]).toEqual([200, { orders: 0, revenue: 0, sold: [] }])
    })
  })

  describe('what surrounds every answer', () => {
    it('is the security headers of helmet, and CORS', async () => {
      const { headers } = await request(shop.url).get('/health')
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'access-control-allow-origin': '*',
      })
      expect(headers).not.toHaveProperty('x-powered-by')
    })

    it('is the answer to a CORS preflight', async () => {
      const { status, headers } = await request(shop.url)
        .options('/cart')
        .set({ Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' })
      expect([status, headers['access-control-allow-methods']]).toEqual([
        204,
        'GET,HEAD,PUT,PATCH,POST,DELETE',
      ])
    })

    it('is compression, where it pays', async () => {
      expect((await request(shop.url).get('/products?size=50')).headers['content-encoding']).toBe('gzip')
      expect((await request(shop.url).get('/health')).headers['content-encoding']).toBeUndefined()
    })

    it('is one line in the log', async () => {
      await request(shop.url).get('/products?q=tea')
      expect(log).toEqual([expect.stringMatching(/^GET \/products\?q=tea 200 \d+ - [\d.]+ ms$/)])
    })
  })

  if (!whole) {
    it('answers what has not moved with 404, through the same middleware', async () => {
      const { status, text, headers } = await request(shop.url).get('/orders')
      expect([status, text]).toEqual([404, 'Not Found'])
      expect(headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(headers).toHaveProperty('content-security-policy')
      expect(log).toHaveLength(1)
    })
  }

  if (whole) {
    describe('what is still in Express', () => {
      it('passes through the middleware once', async () => {
        await request(shop.url).get('/login')
        expect(log).toEqual([expect.stringMatching(/^GET \/login 200 /)])
      })

      it('serves the files of the public folder', async () => {
        const { headers } = await request(shop.url).get('/shop.css')
        expect(headers['content-type']).toBe('text/css; charset=utf-8')
      })

      it('greets a customer who has logged in by the product that was viewed last', async () => {
        const customer = request.agent(shop.url)
        await customer.get('/products/earl-grey')
        const login = await customer.post('/login').type('form').send({ name: 'Ada <3' }).redirects(1)
        expect(login.status).toBe(200)
        expect(login.text).toContain('Welcome back, Ada &#60;3.')
        expect(login.text).toContain('You last looked at Earl Grey.')
      })

      it('asks again for a name when none was given', async () => {
        const { status, text } = await request(shop.url).post('/login').type('form').send('name=+')
        expect(status).toBe(400)
        expect(text).toContain('<form method="post" action="/login">')
      })

      it('orders what is in the cart, once the customer has logged in', async () => {
        const customer = request.agent(shop.url)
        await customer.post('/cart').send({ productId: 'matcha', quantity: 2 })
        await customer.post('/orders').expect(401, { error: 'Log in first' })
        await customer.post('/login').type('form').send('name=Ada')

        const { status, headers, body: order } = await customer.post('/orders')
        expect([status, headers.location]).toEqual([201, '/orders/1001'])
        expect(order).toMatchObject({ id: 1001, customer: 'Ada', total: 4900 })
        expect((await customer.get('/cart')).body.total).toBe(0)
        expect((await customer.get('/orders/1001')).body).toEqual(order)
        expect((await customer.get('/orders')).body).toEqual({ orders: [order] })
        await customer.post('/orders').expect(409, { error: 'The cart is empty' })

        const stranger = request.agent(shop.url)
        await stranger.post('/login').type('form').send('name=Eve')
        await stranger.get('/orders/1001').expect(404, { error: 'You have no order 1001' })

        const report = await request(shop.url).get('/admin/report').set(tokenHeader('teapot'))
        expect(report.body).toMatchObject({
          orders: 1,
          revenue: 4900,
          sold: [{ productId: 'matcha', quantity: 2 }],
        })
        const csv = await request(shop.url).get('/admin/orders.csv').set(tokenHeader('teapot'))
        expect(csv.text).toMatch(/^id,customer,placedAt,total\r\n1001,Ada,.*,4900\r\n$/)
      })

      it('guards what it still has below /admin', async () => {
        await request(shop.url).get('/admin/orders.csv').expect(401)
        await request(shop.url).get('/admin/nothing').expect(401)
      })

      it('answers everything else with its 404 page', async () => {
        const { status, text } = await request(shop.url).get('/coffee')
        expect(status).toBe(404)
        expect(text).toContain('There is nothing at /coffee.')
      })

      it('answers a body that cannot be read through its error handler', async () => {
        const { status, body } = await request(shop.url).post('/login').type('json').send('{"name":')
        expect([status, body]).toEqual([400, { error: expect.stringMatching(/JSON/) }])
      })
    })
  }
})

function ids(page: { products: { id: string }[] }): string[] {
  return page.products.map(({ id }) => id)
}

function tokenHeader(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { 'X-Admin-Token': token }
}
