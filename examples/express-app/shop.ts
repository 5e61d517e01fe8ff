import catalogue from './data/products.json' with { type: 'json' }

export interface Product {
  id: string
  name: string
  category: string
  /** In cents. */
  price: number
  stock: number
}

/** Product id → quantity. Plain data, since it lives in a session. */
export type Cart = Record<string, number>

export interface CartLine {
  productId: string
  name: string
  quantity: number
  /** In cents. */
  total: number
}

/** What a customer is shown of a cart. */
export interface CartView {
  lines: CartLine[]
  /** In cents. */
  total: number
}

export interface Order extends CartView {
  id: number
  customer: string
  placedAt: string
}

export interface ProductPage {
  products: Product[]
  page: number
  pages: number
  total: number
}

/** A request that the shop refuses: `status` and `message` are for the customer. */
export class ShopError extends Error {
  override readonly name = 'ShopError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The shop itself: it knows neither Express nor Controllers, so both can serve it. */
export class Shop {
  readonly products: readonly Product[] = catalogue
  readonly #orders: Order[] = []

  findProduct(id: string): Product | undefined {
    return this.products.find((product) => product.id === id)
  }

  /** One page of the products that fit `query`: `category`, `q` (part of the name), `page`, `size`. */
  searchProducts(query: Record<string, unknown>): ProductPage {
    const category = textOf(query.category)
    const words = textOf(query.q)?.toLowerCase()
    const page = countOf('page', query.page ?? '1')
    const size = Math.min(countOf('size', query.size ?? '5'), 50)

    const found = this.products.filter(
      (product) =>
        (category === undefined || product.category === category) &&
        (words === undefined || product.name.toLowerCase().includes(words)),
    )
    return {
      products: found.slice((page - 1) * size, page * size),
      page,
      pages: Math.ceil(found.length / size),
      total: found.length,
    }
  }

  productsAsCsv(): string {
    const rows = this.products.map(({ id, name, category, price, stock }) => [
      id,
      name,
      category,
      price,
      stock,
    ])
    return toCsv([['id', 'name', 'category', 'price', 'stock'], ...rows])
  }

  /** The cart with `item` (`{ productId, quantity }`, as a customer sent it) added. */
  addToCart(cart: Cart, item: unknown): Cart {
    const { productId, quantity = 1 } = (item ?? {}) as Record<string, unknown>
    const product = typeof productId === 'string' ? this.findProduct(productId) : undefined
    if (!product) throw new ShopError(400, 'productId names no product')

    const inCart = (cart[product.id] ?? 0) + countOf('quantity', quantity)
    if (inCart > product.stock) throw new ShopError(409, `Only ${product.stock} of ${product.name} left`)
    return { ...cart, [product.id]: inCart }
  }

  viewCart(cart: Cart): CartView {
    const lines = Object.entries(cart).flatMap(([productId, quantity]): CartLine[] => {
      const product = this.findProduct(productId)
      return product ? [{ productId, name: product.name, quantity, total: product.price * quantity }] : []
    })
    return { lines, total: lines.reduce((sum, line) => sum + line.total, 0) }
  }

  placeOrder(customer: string, cart: Cart): Order {
    const view = this.viewCart(cart)
    if (view.lines.length === 0) throw new ShopError(409, 'The cart is empty')

    const order: Order = {
      id: 1001 + this.#orders.length,
      customer,
      placedAt: new Date().toISOString(),
      ...view,
    }
    this.#orders.push(order)
    return order
  }

  ordersOf(customer: string): Order[] {
    return this.#orders.filter((order) => order.customer === customer)
  }

  /** Sales per product, the best first. */
  report(): { orders: number; revenue: number; sold: CartLine[] } {
    const sold = new Map<string, CartLine>()
    for (const line of this.#orders.flatMap((order) => order.lines)) {
      const before = sold.get(line.productId)
      sold.set(line.productId, {
        ...line,
        quantity: line.quantity + (before?.quantity ?? 0),
        total: line.total + (before?.total ?? 0),
      })
    }
    return {
      orders: this.#orders.length,
      revenue: this.#orders.reduce((sum, order) => sum + order.total, 0),
      sold: [...sold.values()].sort((one, other) => other.total - one.total),
    }
  }

  ordersAsCsv(): string {
    const rows = this.#orders.map(({ id, customer, placedAt, total }) => [id, customer, placedAt, total])
    return toCsv([['id', 'customer', 'placedAt', 'total'], ...rows])
  }
}

/** A query value as one text: of a repeated key the last one counts. */
function textOf(value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : undefined
}

function countOf(name: string, value: unknown): number {
  const count = typeof value === 'number' ? value : Number(textOf(value) ?? NaN)
  if (!Number.isSafeInteger(count) || count < 1)
    throw new ShopError(400, `${name} must be a whole number from 1 on`)
  return count
}

function toCsv(rows: (string | number)[][]): string {
  const cell = (value: string | number) =>
    /[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : value
  return rows.map((row) => row.map(cell).join(',') + '\r\n').join('')
}
