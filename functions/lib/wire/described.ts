import * as z from 'zod/mini'

/** What the OpenAPI document says of a part of the wire beside its form. */
interface Description {
  /** The part is a component of the document under this name. */
  name?: string
  description?: string
  example?: unknown
  type?: 'null'
  /** The named schema of an object that this one has all fields of. */
  extends?: object
}

export const described = z.registry<Description>()
