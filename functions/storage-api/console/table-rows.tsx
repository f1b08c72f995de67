import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import { type WrittenCondition, writtenTypes } from '../../lib/table-engine/rows/written-condition.ts'
import type { TableBody } from '../../lib/wire/table-body.ts'
import { type ApiClient, orProblem, path, query } from './api-client.ts'
import { count, counted } from './format.ts'
import { Confirm, Control, Field, Hidden } from './forms.tsx'
import { tablePath } from './links.tsx'
import { type Column, List } from './list.tsx'
import { Empty, Icon, Problem } from './parts.tsx'
import { choiceQuery, conditionsOf, filterFields, operators, type RowChoice } from './row-choice.ts'

const ROWS_SHOWN = 100

const cell = z.object({ value: z.nullable(z.string()), isTruncated: z.boolean() })

/** A page of the rows that match. */
const previewBody = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  /** How many match. */
  rowsCount: z._default(z.number(), 0),
  /** Sentences about rows that the conditions cannot compare. */
  stays: z._default(z.array(z.string()), []),
})
type Found = z.infer<typeof previewBody>

interface RowsProps {
  table: TableBody
  choice: RowChoice
  found: Found
}

/** Rows by the page, with filters and an order, or why they cannot be shown. */
export const rowsOf = async (
  client: ApiClient,
  table: TableBody,
  { choice, mayChange }: { choice: RowChoice; mayChange: boolean },
): Promise<Child> => {
  const { order, direction, page } = choice
  const where = conditionsOf(choice).map((condition, index): [string, string] => [
    `where[${index}]`,
    condition,
  ])
  const asked = {
    format: 'json',
    countRows: 1,
    limit: ROWS_SHOWN,
    offset: page * ROWS_SHOWN,
    ...Object.fromEntries(where),
    ...(order !== '' && { 'orderBy[0][column]': order, 'orderBy[0][order]': direction }),
  }
  const found = await orProblem(client.get(path`tables/${table.id}/data-preview` + query(asked), previewBody))
  return (
    <>
      <Filters table={table} choice={choice} />
      {'problem' in found ? (
        <>
          <Problem>{found.problem}</Problem>
          <p>
            <a href={`/console/query${query({ table: table.id })}`}>Query it with SQL</a>
          </p>
        </>
      ) : (
        <>
          <Matches table={table} choice={choice} found={found} mayChange={mayChange} />
          <Rows table={table} choice={choice} found={found} />
          <Pages table={table} choice={choice} found={found} />
        </>
      )}
    </>
  )
}

const Filters = ({ table, choice }: Omit<RowsProps, 'found'>) => (
  <form class="filter" action={tablePath(table.id)} aria-label="Filter the rows">
    {[...choice.filters, undefined].map((filter, index) => (
      <Condition columns={table.columns} filter={filter} index={index} />
    ))}
    {choice.order !== '' && <Hidden of={{ order: choice.order, direction: choice.direction }} />}
    <button type="submit">Show</button>
    {choice.filters.length > 0 && (
      <a class="btn" href={tablePath(table.id) + choiceQuery({ ...choice, filters: [], page: 0 })}>
        All rows
      </a>
    )}
  </form>
)

interface ConditionProps {
  columns: readonly string[]
  /** Undefined: one more may be written. */
  filter: WrittenCondition | undefined
  index: number
}

const Condition = ({ columns, filter, index }: ConditionProps) => (
  <div class="condition">
    <Field
      label={index === 0 ? 'Where' : 'and'}
      name={`column${index}`}
      options={[
        ['', filter === undefined ? 'choose a column' : 'no column'],
        ...columns.map(column => [column, column] as const),
      ]}
      value={filter?.column}
    />
    <Control
      name={`operator${index}`}
      aria-label={`Comparison ${index + 1}`}
      options={Object.entries(operators)}
      value={filter?.operator}
    />
    <Control
      name={`type${index}`}
      aria-label={`Compared as ${index + 1}`}
      options={[['', 'as the column is'], ...writtenTypes.map(type => [type, `as ${type}`] as const)]}
      value={filter?.type}
    />
    <Control name={`value${index}`} aria-label={`Value ${index + 1}`} value={filter?.value ?? ''} />
  </div>
)

const Matches = ({ table, choice, found, mayChange }: RowsProps & { mayChange: boolean }) => {
  const { rowsCount, stays } = found
  const isFiltered = choice.filters.length > 0
  const match = counted(rowsCount, 'row matches', 'rows match')
  return (
    <div class="matches">
      <p role="status">
        {isFiltered ? match : counted(rowsCount, 'row')}. {stays.join(' ')}
      </p>
      {mayChange && isFiltered && !table.isAlias && rowsCount > 0 && (
        <Confirm
          id="delete-rows"
          verb={`Delete ${counted(rowsCount, 'row')}`}
          to={`${tablePath(table.id)}/rows/delete`}
          fields={{ ...filterFields(choice), expected: String(rowsCount) }}
        >
          {match} now. A snapshot of the table is kept before, so that they can be brought back.
        </Confirm>
      )}
    </div>
  )
}

/** A value that is as short stays on one line. */
const WORD_CHARACTERS = 32

/** A click on a header orders by it, another one the other way round. */
const Rows = ({ table, choice, found }: RowsProps) => (
  <List
    caption={`Rows of ${table.id}`}
    of={found.rows}
    empty={<Empty>No row matches.</Empty>}
    columns={found.columns.map((column, place): Column<Found['rows'][number]> => {
      const isOrdered = choice.order === column
      const isAscending = choice.direction === 'ASC'
      const direction = isOrdered && isAscending ? 'DESC' : 'ASC'
      return [
        <a
          href={tablePath(table.id) + choiceQuery({ ...choice, order: column, direction, page: 0 })}
          aria-label={`Order by ${column}, ${direction === 'ASC' ? 'ascending' : 'descending'}`}
        >
          {column}
          {isOrdered && <Icon name={isAscending ? 'chevron-up' : 'chevron-down'} />}
        </a>,
        row => [
          row[place]?.value ?? <span class="hint">NULL</span>,
          row[place]?.isTruncated && <span class="hint"> … cut</span>,
        ],
        row => {
          const value = row[place]?.value ?? ''
          return value.length <= WORD_CHARACTERS && !value.includes('\n') ? 'cell word' : 'cell'
        },
        isOrdered ? (isAscending ? 'ascending' : 'descending') : undefined,
      ]
    })}
  />
)

const Pages = ({ table, choice, found: { rowsCount } }: RowsProps) => {
  const { page } = choice
  const first = page * ROWS_SHOWN
  const end = Math.min(rowsCount, first + ROWS_SHOWN)
  const pathTo = (number: number) => tablePath(table.id) + choiceQuery({ ...choice, page: number })
  return rowsCount <= ROWS_SHOWN ? null : (
    <nav class="actions" aria-label="Pages">
      {page > 0 && (
        <>
          <a class="btn" href={pathTo(0)}>
            First
          </a>
          <a class="btn" href={pathTo(page - 1)} rel="prev">
            <Icon name="chevron-left" /> Previous
          </a>
        </>
      )}
      <span>
        Rows {count(first + 1)} to {count(end)} of {count(rowsCount)}
      </span>
      {end < rowsCount && (
        <a class="btn" href={pathTo(page + 1)} rel="next">
          Next <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  )
}
