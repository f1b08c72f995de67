import type { Child } from 'hono/jsx'

/** What stands above a column, its cell of an item, and the class of its cells: `name` is the one that names the item. */
export type Column<Item> = readonly [
  head: Child,
  cell: (item: Item, index: number) => Child,
  look?: string | ((item: Item) => string),
  sorted?: 'ascending' | 'descending' | undefined,
]

interface ListProps<Item> {
  caption: string
  of: readonly Item[]
  columns: readonly Column<Item>[]
  /** In place of a list without items. */
  empty?: Child
}

/** Items in a table that scrolls on its own where the screen is narrow. */
export const List = <Item,>({ caption, of, columns, empty }: ListProps<Item>) =>
  of.length === 0 && empty !== undefined ? (
    empty
  ) : (
    <section class="scroll" tabindex={0} aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([head, , look, sorted]) => (
              <th scope="col" class={look === 'number' ? look : undefined} aria-sort={sorted}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map((item, index) => (
            <tr>
              {columns.map(([, cell, look]) =>
                look === 'name' ? (
                  <th scope="row">{cell(item, index)}</th>
                ) : (
                  <td class={typeof look === 'function' ? look(item) : look}>{cell(item, index)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
