import type { Json } from '../json/json-value.ts'

/** The `authentication` of a configuration that sends a token as `Authorization: Bearer ...`. */
export const bearerKey = (token: Json) => ({
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  prefix: 'Bearer ',
  value: token,
})
