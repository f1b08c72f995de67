import { describe, expect, it } from 'vitest'
import { runExtraction } from '../run-extraction.ts'
import { crmApi } from './crm-api.ts'
import { shopApi } from './shop-api.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Cells of a column that has no commas in it, in the order of the table. */
const cells = (csv = '', column = 'id'): (string | undefined)[] => {
  const [header = [], ...rows] = csv
    .trim()
    .split('\n')
    .map(line => line.split(',').map(cell => cell.replaceAll('"', '')))
  return rows.map(row => row[header.indexOf(column)])
}

describe('a shop whose pages allow no other parameter', () => {
  const orders = numbers(7).map(id => ({ id, updated_at: `2026-01-0${id}T12:00:00Z` }))
  const settings = (job: object) => ({
    api: { pagination: { method: 'header-link' }, http: { headers: { 'X-Shop-Access-Token': 't0ken-abc' } } },
    config: {
      jobs: [
        { id: 'orders', endpoint: 'admin/orders.json', dataType: 'orders', dataField: 'orders', ...job },
      ],
    },
  })

  it('is read whole, with the rows below its rows', async () => {
    const child = {
      endpoint: 'admin/orders/{order}/transactions.json',
      dataType: 'transactions',
      dataField: 'transactions',
      placeholders: { order: 'id' },
    }
    const { error, tables, requests } = await runExtraction(
      shopApi(orders, 't0ken-abc'),
      settings({ params: { limit: 3, status: 'any' }, children: [child] }),
    )
    expect(error).toBeUndefined()
    expect(cells(tables['orders'])).toEqual(numbers(7).map(String))
    expect(cells(tables['transactions']).toSorted()).toEqual(numbers(7).map(id => `t${id}`))
    expect(requests.filter(({ path }) => path === '/admin/orders.json')).toHaveLength(3)
  })

  it('is read whole step by step, each of several pages', async () => {
    const incremental = {
      idKey: 'updated_at',
      param: 'updated_at_min',
      until: 'updated_at_max',
      initial: '2026-01-01',
      step: 'P4D',
    }
    const { error, tables, requests } = await runExtraction(shopApi(orders, 't0ken-abc'), {
      ...settings({ params: { limit: 2 }, primaryKey: ['id'], incremental }),
      options: { now: () => Date.parse('2026-01-09') / 1_000 },
    })
    expect(error).toBeUndefined()
    expect(cells(tables['orders'])).toEqual(numbers(7).map(String))
    expect(requests).toHaveLength(4)
    expect(requests.filter(({ query }) => query.has('page_info'))).toHaveLength(2)
  })

  it('refuses pages with the parameters of the job, and nothing is taken for the whole', async () => {
    const both = settings({ params: { limit: 3, status: 'any' } })
    const { error } = await runExtraction(shopApi(orders, 't0ken-abc'), {
      ...both,
      api: { ...both.api, pagination: { method: 'header-link', includeParams: true } },
    })
    expect(error?.message).toContain('400')
  })
})

describe('a system for customers with a cursor inside of the answer', () => {
  const contacts = numbers(11).map(id => ({ id: String(id), changed: id * 86_400_000 }))
  const pagination = { method: 'json-cursor', param: 'after', cursorPath: 'paging.next.after' }

  it('is read whole, with the pages below its rows', async () => {
    const child = {
      endpoint: 'crm/contacts/{contact}/deals',
      dataType: 'deals',
      dataField: 'results',
      placeholders: { contact: 'id' },
    }
    const list = { endpoint: 'crm/contacts', dataType: 'contacts', dataField: 'results' }
    const { error, tables, requests } = await runExtraction(crmApi(contacts), {
      api: { pagination },
      config: { jobs: [{ ...list, params: { limit: 4 }, children: [child] }] },
    })
    expect(error).toBeUndefined()
    expect(cells(tables['contacts'])).toEqual(numbers(11).map(String))
    expect(cells(tables['deals'])).toHaveLength(22)
    expect(requests.find(({ path, query }) => path.endsWith('/deals') && query.has('after'))?.url).toContain(
      'after=x%3D%2F%2B',
    )
  })

  it('is searched whole step by step, where one search would not lead to the end', async () => {
    const search = {
      id: 'contacts',
      endpoint: 'crm/contacts/search',
      method: 'POST',
      dataType: 'contacts',
      dataField: 'results',
      params: { limit: 2 },
      primaryKey: ['id'],
    }
    const incremental = {
      idKey: 'properties.changed',
      param: 'from',
      until: 'to',
      initial: '1970-01-01',
      step: 'P4D',
      format: 'milliseconds',
    }
    const whole = await runExtraction(crmApi(contacts), {
      api: { pagination },
      config: { jobs: [{ ...search, incremental }] },
      options: { now: () => Date.parse('1970-01-13') / 1_000 },
    })
    expect(whole.error).toBeUndefined()
    expect(cells(whole.tables['contacts'])).toEqual(numbers(11).map(String))
    const one = await runExtraction(crmApi(contacts), { api: { pagination }, config: { jobs: [search] } })
    expect(one.error?.message).toContain('400')
  })
})
