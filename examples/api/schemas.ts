import { z } from 'zod'

// `id` names a schema in the OpenAPI document, and so in the types of clients.
export const User = z.object({ name: z.string(), email: z.email() }).meta({ id: 'User' })
export const NewOrg = z.object({ slug: z.string().regex(/^[a-z][a-z0-9-]{1,30}$/), title: z.string().min(1) })
export const Org = NewOrg.extend({ members: z.array(z.string()) }).meta({ id: 'Org' })
export const NewOrder = z.object({
  item: z.string().min(1).max(80),
  amount: z.int().min(1).max(1000).default(1),
})
export const Order = NewOrder.extend({
  id: z.int(),
  by: z.string(),
  state: z.enum(['open', 'sent']),
}).meta({ id: 'Order' })
export const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  size: z.coerce.number().int().min(1).max(100).default(20),
  state: Order.shape.state.optional(),
})
export const OrderList = z.object({ total: z.int(), orders: z.array(Order) })
export const Failure = z.object({ error: z.string() }).meta({ id: 'Failure' })
