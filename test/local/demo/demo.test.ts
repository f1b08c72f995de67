import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the demo makes one table of two files and two of an API, and exits with 0', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['local/demo/demo.ts'])
  expect(stdout).toContain('in.c-shop.orders: 3200 rows, 10 columns, primary key order_id')
  expect(stdout).toContain('in.c-shop.orders: 3260 rows, 10 columns, primary key order_id')
  const statuses = [...stdout.matchAll(/^ {4}"101273",.*?"(delivered|returned)"/gm)].map(
    ([, status]) => status,
  )
  expect(statuses).toEqual(['delivered', 'returned'])

  // The second act: an API with a login; the second run loads what changed.
  expect(stdout).toContain('in.c-web-shop.customers: 230 rows')
  expect(stdout).toMatch(/orders \+1240\n.*13 requests/)
  expect(stdout).toMatch(/orders \+17\n.*1 requests/)
  expect(stdout).toContain('in.c-web-shop.orders: 1252 rows, 6 columns, primary key id')
})
