import { z } from 'zod'
import { Empty, Grid } from '../layout.tsx'
import { pathOf } from './configurations.tsx'

const itemSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  name: z.string(),
  type: z.string(),
  componentId: z.string().nullish(),
})

export const searchSchema = z.object({ all: z.number(), items: z.array(itemSchema) })

type Found = z.output<typeof searchSchema>

export const SearchResults = ({ found }: { found: Found }) =>
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

const addressOf = ({ type, id, componentId }: Found['items'][number]): string => {
  if (type === 'table') return `/console/tables/${encodeURIComponent(id)}`
  if (type === 'bucket') return '/console/tables'
  return componentId ? pathOf(componentId, id) : '/console/configurations'
}
