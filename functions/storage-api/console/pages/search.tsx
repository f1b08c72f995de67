import { type SearchBody, searchBody } from '#lib/wire/search-body.ts'
import { query } from '../api-client.ts'
import { GoTo, sectionsFor } from '../frame.tsx'
import { configurationPath, tablePath } from '../links.tsx'
import { List } from '../list.tsx'
import { Empty } from '../parts.tsx'
import { page } from '../route.ts'

const SHOWN = 50

/** What has a text in its name: pages, tables, buckets and configurations. Enter leads to the first; Ctrl+K shows the same on any page. */
export const searchPages = [
  page('/console/search', async ({ client, query: { q = '', open } }) => {
    const asked = q.trim()
    const pages = sectionsFor(await client.person())
      .filter(([, name]) => name.toLowerCase().includes(asked.toLowerCase()))
      .map(([path, name]) => ({ path, name, kind: 'page', id: '' }))
    const found =
      asked === ''
        ? []
        : (await client.get(`global-search${query({ query: asked, limit: SHOWN })}`, searchBody)).items
    const places = [...pages, ...found.map(placeOf)]
    const [first] = places
    if (open === 'first' && first !== undefined) return { redirect: first.path }
    return {
      title: 'Search',
      body: (
        <>
          <GoTo q={q} />
          <div class="found">
            <List
              caption="Found"
              of={places}
              empty={<Empty icon="search">Nothing has such a name.</Empty>}
              columns={[
                ['Name', ({ path, name }) => <a href={path}>{name}</a>, 'name'],
                ['Kind', ({ kind }) => kind],
                ['Id', ({ id }) => id],
              ]}
            />
          </div>
        </>
      ),
    }
  }),
]

const placeOf = ({ type, id, name, componentId }: SearchBody['items'][number]) => ({
  name,
  kind: type.replace('-', ' '),
  id,
  path:
    type === 'table'
      ? tablePath(id)
      : type === 'bucket'
        ? '/console/tables'
        : componentId
          ? configurationPath(componentId, id)
          : '/console/configurations',
})
