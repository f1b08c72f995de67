import { bucketBody, listedTableBody } from '#lib/wire/table-body.ts'
import { bytes, count } from '../format.ts'
import { tablePath } from '../links.tsx'
import { List } from '../list.tsx'
import { Empty, Time } from '../parts.tsx'
import { page } from '../route.ts'

export const tableListPages = [
  page('/console/tables', async ({ client }) => {
    const [buckets, tables] = await Promise.all([
      client.list('buckets', bucketBody),
      client.list('tables?include=', listedTableBody),
    ])
    return {
      title: 'Tables',
      body: (
        <>
          {buckets.length === 0 && (
            <Empty>
              No bucket yet. <a href="/console/drop">Drop a file</a>: bucket and table are made for it.
            </Empty>
          )}
          {buckets.map(({ id: bucket, description }) => (
            <section class="panel">
              <h2>
                {bucket} <small class="hint">{description}</small>
              </h2>
              <List
                caption={`Tables of ${bucket}`}
                of={tables.filter(({ id, name }) => id === `${bucket}.${name}`)}
                empty={<p class="hint">No tables.</p>}
                columns={[
                  [
                    'Table',
                    ({ id, name, isAlias }) => [<a href={tablePath(id)}>{name}</a>, isAlias && ' (alias)'],
                    'name',
                  ],
                  ['Rows', ({ rowsCount }) => count(rowsCount), 'number'],
                  ['Size', ({ dataSizeBytes }) => bytes(dataSizeBytes), 'number'],
                  ['Primary key', ({ primaryKey }) => primaryKey.join(', ')],
                  ['Last import', ({ lastImportDate }) => <Time at={lastImportDate} />],
                ]}
              />
            </section>
          ))}
        </>
      ),
    }
  }),
]
