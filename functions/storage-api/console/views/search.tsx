import type { SearchBody } from '#lib/wire/search-body.ts'
import { Empty, Grid } from '../layout.tsx'
import { sections } from '../navigation.tsx'
import { Icon } from '../parts.tsx'
import { pathOf, tablePath } from './links.tsx'

type Found = SearchBody['items'][number]

/** A box for names, and what has one. Undefined: nothing was asked yet. */
export const SearchResults = ({ q, found }: { q: string; found: SearchBody | undefined }) => (
  <>
    <form class="filter" action="/console/search">
      <label>
        A part of the name of a table, bucket or configuration
        <input type="search" name="q" value={q} autofocus />
      </label>
      <button type="submit" class="btn-primary">
        Search
      </button>
    </form>
    {found !== undefined && <List found={found} />}
  </>
)

const List = ({ found }: { found: SearchBody }) =>
  found.items.length === 0 ? (
    <Empty icon="search">Nothing has such a name.</Empty>
  ) : (
    <Grid caption="Found" head={['Name', 'Kind', 'Id']}>
      {found.items.map(item => (
        <tr>
          <th scope="row">
            <a href={addressOf(item)}>{item.name}</a>
          </th>
          <td>{item.type.replace('-', ' ')}</td>
          <td>{item.id}</td>
        </tr>
      ))}
    </Grid>
  )

/** Of the command palette: pages whose names have the text, then what the search finds. */
export const PaletteOptions = ({ q, found }: { q: string; found: readonly Found[] }) => {
  const pages = sections.filter(([, name]) => name.toLowerCase().includes(q.trim().toLowerCase()))
  const options = [
    ...pages.map(([path, name, icon]) => ({ path, name, icon, kind: 'page' })),
    ...found.map(item => ({
      path: addressOf(item),
      name: item.type === 'table' || item.type === 'bucket' ? item.id : item.name,
      icon: iconOf(item),
      kind: item.type as string,
    })),
  ]
  return (
    <div>
      {options.map(({ path, name, icon, kind }, index) => (
        <a role="option" class="entry" id={`place-${index}`} href={path} tabindex={-1} aria-selected="false">
          <Icon name={icon} /> <span>{name}</span> <small>{kind}</small>
        </a>
      ))}
      {options.length === 0 && (
        <a
          role="option"
          class="entry"
          id="place-0"
          href="/console/search"
          tabindex={-1}
          aria-selected="false"
        >
          Nothing has such a name
        </a>
      )}
    </div>
  )
}

const iconOf = ({ type }: Found): string =>
  type === 'table' ? 'table' : type === 'bucket' ? 'database' : 'plug'

const addressOf = ({ type, id, componentId }: Found): string => {
  if (type === 'table') return tablePath(id)
  if (type === 'bucket') return '/console/tables'
  return componentId ? pathOf(componentId, id) : '/console/configurations'
}
