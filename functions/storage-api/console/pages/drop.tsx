import { bucketBody } from '#lib/wire/table-body.ts'
import { page } from '../route.ts'
import { Drop } from '../views/drop.tsx'

export const dropPages = [
  page('/console/drop', async ({ client, query: { table = '' } }) => {
    const buckets = await client.list('buckets', bucketBody)
    return { title: 'Drop a file', body: <Drop buckets={buckets.map(({ id }) => id)} tableId={table} /> }
  }),
]
