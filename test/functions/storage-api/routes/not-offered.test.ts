import { expect, it } from 'vitest'
import { notOfferedRoutes } from '#functions/storage-api/routes/not-offered.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service } = await startTableRoutes()

it.each(notOfferedRoutes.map(({ method, definition }) => [method.toUpperCase(), definition.path]))(
  'says what to do instead: %s %s',
  async (method, path = '') => {
    const place = path.replace('/v2/storage', '/v2/storage/branch/default').replaceAll(/\{\w+\}/g, 'x')
    const reply = await service.call(method ?? '', place, method === 'GET' ? undefined : {})
    expect(reply).toMatchObject({ status: 501, body: { code: 'notImplemented' } })
    expect(reply.body.error).toMatch(/\bhere\b.+\./)
  },
)
