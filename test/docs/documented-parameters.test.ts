import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toleratedParameters } from '#functions/storage-api/http/check-fields.ts'
import type { Route } from '#functions/storage-api/http/route.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { documentedParameters } from './documented-parameters.ts'

/** The names that the schemas of a route have, which are the ones that it reads. */
const readBy = ({ definition: { query, body, streamedBody } }: Route): string[] =>
  [query, body, streamedBody].flatMap(schema =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  )
const operationOf = ({ method, definition }: Route): string => `${method.toUpperCase()} ${definition.path}`
const byOperation = new Map(routes.map(route => [operationOf(route), route]))
const tolerated = Object.keys(toleratedParameters)

describe('the documented parameters', () => {
  it.each(Object.entries(documentedParameters))(
    'of %s are read, or passed over for a reason',
    (name, documented) => {
      const route = byOperation.get(name)
      if (!route) throw new Error(`There is no route ${name}`)
      const known = new Set([...readBy(route), ...tolerated])
      expect(documented.filter(parameter => !known.has(parameter))).toEqual([])
    },
  )

  it('are those of every route that reads any, but for our own additions', () => {
    const own = /\/workspaces|\/progress$/
    const unlisted = routes
      .filter(route => readBy(route).length > 0 && !own.test(operationOf(route)))
      .map(operationOf)
      .filter(name => !Object.hasOwn(documentedParameters, name))
    expect(unlisted).toEqual([])
  })
})

describe('a parameter that is passed over', () => {
  it.each(Object.entries(toleratedParameters))('%s: is read by no route', (name, reason) => {
    expect(reason).toMatch(/^[A-Z].*\.$/)
    const readers = routes.filter(route => readBy(route).includes(name)).map(operationOf)
    expect(readers).toEqual([])
  })
})
