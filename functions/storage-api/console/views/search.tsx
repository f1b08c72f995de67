import type { SearchBody } from '#lib/wire/search-body.ts'
import { Empty, Grid } from '../layout.tsx'
import { pathOf } from './configurations.tsx'

export const SearchResults = ({ found }: { found: SearchBody }) =>
  found.items.length === 0 ? (
    <Empty>Nothing has such a name.</Empty>
  ) : (
    <Grid caption="Found" head={['Name', 'Kind', 'Id']}>
      {found.items.map(item => (
        <tr>
          <th scope="row">
            <a href={addressOf(item)}>{item.name}</a>
          </th>
          <td>{item.type}</td>
          <td>{item.id}</td>
        </tr>
      ))}
    </Grid>
  )

const addressOf = ({ type, id, componentId }: SearchBody['items'][number]): string => {
  if (type === 'table') return `/console/tables/${encodeURIComponent(id)}`
  if (type === 'bucket') return '/console/tables'
  return componentId ? pathOf(componentId, id) : '/console/configurations'
}
