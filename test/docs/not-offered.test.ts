import { expect, it } from 'vitest'
import { insteadOf } from '#functions/storage-api/routes/not-offered.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { startTableRoutes } from '#support/table-routes.ts'
import { knownOperations } from '../tools/documents/known-operations.ts'

const { service } = await startTableRoutes()
const notOffered = Object.values(knownOperations)
  .flat()
  .map(([operation]) => operation.split(' '))
  .filter(([, path = '']) => insteadOf(path) !== undefined)

it.each(notOffered)('says what to do instead: %s %s', async (method = '', path = '') => {
  const place = path.replace('/v2/storage', '/v2/storage/branch/default').replaceAll(/\{\w+\}/g, 'x')
  const reply = await service.call(method, place, method === 'GET' ? undefined : {})
  expect(reply).toMatchObject({ status: 501, body: { code: 'notImplemented' } })
  expect(reply.body.error).toMatch(/\bhere\b.+\./)
})

it('has no path of a route', () => {
  expect(routes.filter(({ definition }) => insteadOf(definition.path) !== undefined)).toEqual([])
})
