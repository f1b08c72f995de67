import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '#functions/storage-api/routes/openapi.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'

const document = JSON.parse(
  JSON.stringify(openApiDocument({ origin: 'https://storage.example.com', version: '1.2.3' })),
)

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  parameters?: { name: string; in: string; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}

// Read from the document itself; the tests below look at each part.
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(
    ([method, operation]): [string, string, Operation] => [method.toUpperCase(), path, operation],
  ),
)

describe('the OpenAPI document', () => {
  it('describes every route once, under a name of its own', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: 'Millrace storage API', version: '1.2.3' })
    expect(document.servers).toEqual([{ url: 'https://storage.example.com' }])
    expect(operations).toHaveLength(routes.length)
    const ids = operations.map(([, , { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refers to nothing that it does not hold', () => {
    const names = new Set(
      Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`),
    )
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref)
    expect(references.filter(reference => !names.has(reference ?? ''))).toEqual([])
    expect(references.length).toBeGreaterThan(100)
  })

  it.each(operations)(
    '%s %s declares its parameters, its security and what it answers',
    (_method, path, operation) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = (operation.parameters ?? []).filter(each => each.in === 'path').map(({ name }) => name)
      expect(declared).toEqual(inPath)
      expect(operation.summary).toMatch(/^[A-Z]/)
      expect(operation.tags).toHaveLength(1)
      for (const requirement of operation.security) expect(Object.keys(requirement)).toEqual(['storageToken'])
      const statuses = Object.keys(operation.responses)
      expect(statuses.every(status => /^[1-5]\d\d$/.test(status))).toBe(true)
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect(description).not.toBe('')
        expect(content === undefined, status).toBe(status === '204')
      }
    },
  )

  it('holds valid schemas only, whose examples fit them', () => {
    // `nullable` and the like of older versions are unknown words here, and so errors.
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
      allowUnionTypes: true,
    })
    ajv.addKeyword('example')
    ajv.addFormat('uri', true)
    ajv.addFormat('binary', true)
    // JSON Schema looks for shared parts under $defs, OpenAPI under components.
    const rebased = (schema: object) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"https://schemas/all#/$defs/'))
    ajv.addSchema({ $id: 'https://schemas/all', $defs: rebased(document.components.schemas) })
    const check = (schema: object, where: string) => {
      const validate = ajv.compile(rebased(schema))
      const { example } = schema as { example?: unknown }
      if (example !== undefined)
        expect(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`).toBe(true)
    }
    let examples = 0
    const walk = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('example' in value) {
        examples++
        check(value, where)
      }
      for (const [key, inner] of Object.entries(value)) if (key !== 'example') walk(inner, `${where}/${key}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) check(schema as object, name)
    for (const [method, path, operation] of operations) {
      for (const { schema, name } of operation.parameters ?? []) check(schema, `${method} ${path} ${name}`)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        check(schema, `${method} ${path}`)
      for (const { content = {} } of Object.values(operation.responses))
        for (const { schema } of Object.values(content)) check(schema, `${method} ${path}`)
    }
    walk(document.components.schemas, 'components')
    walk(document.paths, 'paths')
    expect(examples).toBeGreaterThan(30)
  })
})
