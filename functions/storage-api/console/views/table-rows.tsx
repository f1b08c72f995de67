import { writtenTypes } from '#lib/table-engine/rows/written-condition.ts'
import type { TableBody } from '#lib/wire/table-body.ts'
import { count, counted } from '../format.ts'
import { Confirm } from '../forms.tsx'
import { tablePath } from '../links.tsx'
import { Empty, Icon, Problem } from '../parts.tsx'
import { choiceQuery, filterFields, operators, ROWS_SHOWN, type RowChoice } from '../row-filters.ts'
import type { TableRows } from '../table-rows.ts'

interface RowsProps {
  table: TableBody
  choice: RowChoice
  /** The rows that match, or why they cannot be shown. */
  found: TableRows | { problem: string }
}

/** Rows by the page, with filters and an order. */
export const RowsPage = ({ table, choice, found, mayChange }: RowsProps & { mayChange: boolean }) => (
  <>
    <Filters table={table} choice={choice} />
    {'problem' in found ? (
      <>
        <Problem>{found.problem}</Problem>
        <p>
          <a href={`/console/query?table=${encodeURIComponent(table.id)}`}>Query it with SQL</a>
        </p>
      </>
    ) : (
      <>
        <Matches table={table} choice={choice} found={found} mayChange={mayChange} />
        <Rows table={table} choice={choice} found={found} />
        <Pages table={table} choice={choice} rowsCount={found.rowsCount} />
      </>
    )}
  </>
)

const Filters = ({ table, choice }: Omit<RowsProps, 'found'>) => (
  <form class="filter" action={tablePath(table.id)} aria-label="Filter the rows">
    {[...choice.filters, undefined].map((filter, index) => (
      <div class="condition">
        <label>
          {index === 0 ? 'Where' : 'and'}
          <select name={`column${index}`}>
            <option value="">{filter === undefined ? 'choose a column' : 'no column'}</option>
            {table.columns.map(column => (
              <option value={column} selected={column === filter?.column}>
                {column}
              </option>
            ))}
          </select>
        </label>
        <select name={`operator${index}`} aria-label={`Comparison ${index + 1}`}>
          {Object.entries(operators).map(([name, text]) => (
            <option value={name} selected={name === filter?.operator}>
              {text}
            </option>
          ))}
        </select>
        <select name={`type${index}`} aria-label={`Compared as ${index + 1}`}>
          <option value="">as the column is</option>
          {writtenTypes.map(type => (
            <option value={type} selected={type === filter?.type}>
              as {type}
            </option>
          ))}
        </select>
        <input name={`value${index}`} value={filter?.value ?? ''} aria-label={`Value ${index + 1}`} />
      </div>
    ))}
    {choice.order !== '' && (
      <>
        <input type="hidden" name="order" value={choice.order} />
        <input type="hidden" name="direction" value={choice.direction} />
      </>
    )}
    <button type="submit">Show</button>
    {choice.filters.length > 0 && (
      <a class="btn" href={tablePath(table.id) + choiceQuery({ ...choice, filters: [], page: 0 })}>
        All rows
      </a>
    )}
  </form>
)

const Matches = ({
  table,
  choice,
  found,
  mayChange,
}: RowsProps & { found: TableRows; mayChange: boolean }) => {
  const { rowsCount, stays } = found
  const isFiltered = choice.filters.length > 0
  return (
    <div class="matches">
      <p role="status">
        {isFiltered ? `${counted(rowsCount, 'row matches', 'rows match')}.` : `${counted(rowsCount, 'row')}.`}{' '}
        {stays.join(' ')}
      </p>
      {mayChange && isFiltered && !table.isAlias && rowsCount > 0 && (
        <Confirm
          id="delete-rows"
          verb={`Delete ${counted(rowsCount, 'row')}`}
          to={`${tablePath(table.id)}/rows/delete`}
          fields={{ ...filterFields(choice), expected: String(rowsCount) }}
        >
          {counted(rowsCount, 'row matches', 'rows match')} now. A snapshot of the table is kept before, so
          that they can be brought back.
        </Confirm>
      )}
    </div>
  )
}

/** A click on a header orders by it, another one the other way round. */
const OrderLink = ({ table, choice, column }: Omit<RowsProps, 'found'> & { column: string }) => {
  const isOrdered = choice.order === column
  const direction = isOrdered && choice.direction === 'ASC' ? 'DESC' : 'ASC'
  return (
    <a
      href={tablePath(table.id) + choiceQuery({ ...choice, order: column, direction, page: 0 })}
      aria-label={`Order by ${column}, ${direction === 'ASC' ? 'ascending' : 'descending'}`}
    >
      {column}
      {isOrdered && <Icon name={choice.direction === 'ASC' ? 'chevron-up' : 'chevron-down'} />}
    </a>
  )
}

/** A value that is as short stays on one line. */
const WORD_CHARACTERS = 32

const classOf = (value: string | null): string =>
  (value ?? '').length <= WORD_CHARACTERS && !value?.includes('\n') ? 'cell word' : 'cell'

export const Rows = ({ table, choice, found: { columns, rows } }: RowsProps & { found: TableRows }) =>
  rows.length === 0 ? (
    <Empty>No row matches.</Empty>
  ) : (
    <section class="scroll" tabindex={0} aria-label={`Rows of ${table.id}`}>
      <table>
        <caption class="hidden">Rows of {table.id}</caption>
        <thead>
          <tr>
            {columns.map(column => (
              <th
                scope="col"
                aria-sort={
                  choice.order !== column
                    ? undefined
                    : choice.direction === 'ASC'
                      ? 'ascending'
                      : 'descending'
                }
              >
                <OrderLink table={table} choice={choice} column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr>
              {row.map(({ value, isTruncated }) => (
                <td class={classOf(value)}>
                  {value === null ? <span class="hint">NULL</span> : value}
                  {isTruncated && <span class="hint"> … cut</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )

const Pages = ({ table, choice, rowsCount }: Omit<RowsProps, 'found'> & { rowsCount: number }) => {
  const pages = Math.ceil(rowsCount / ROWS_SHOWN)
  if (pages < 2) return null
  const { page } = choice
  const pathOf = (number: number) => tablePath(table.id) + choiceQuery({ ...choice, page: number })
  return (
    <nav class="actions" aria-label="Pages">
      {page > 0 && (
        <>
          <a class="btn" href={pathOf(0)}>
            First
          </a>
          <a class="btn" href={pathOf(page - 1)} rel="prev">
            <Icon name="chevron-left" /> Previous
          </a>
        </>
      )}
      <span>
        Rows {count(page * ROWS_SHOWN + 1)} to {count(Math.min(rowsCount, (page + 1) * ROWS_SHOWN))} of{' '}
        {count(rowsCount)}
      </span>
      {page < pages - 1 && (
        <a class="btn" href={pathOf(page + 1)} rel="next">
          Next <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  )
}
