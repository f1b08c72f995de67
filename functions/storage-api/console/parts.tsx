import type { Child } from 'hono/jsx'
import { ago, exactTime } from './format.ts'

/** One of `client/icons.css`: an ornament beside words, which say the same. */
export const Icon = ({ name }: { name: string }) => <i class={`icon icon-${name}`} aria-hidden="true"></i>

/** A time of the API, as people say it. A script puts the exact one of the reader's zone on hover, and keeps both right. */
export const Time = ({ at }: { at: string | null | undefined }) => {
  const time = Date.parse(at ?? '')
  if (Number.isNaN(time)) return <span>–</span>
  return (
    <time datetime={new Date(time).toISOString()} title={exactTime(time, 'UTC')}>
      {ago(time, Date.now())}
    </time>
  )
}

/** Values of the API that people know by another word, with an icon and the colour of a kind. */
const statuses: Readonly<Record<string, readonly [word: string, icon: string, kind?: string]>> = {
  success: ['done', 'check'],
  error: ['failed', 'x'],
  waiting: ['waiting', 'clock'],
  processing: ['running', 'player-play'],
  warned: ['done, with warnings', 'alert-triangle', 'warn'],
  warn: ['warning', 'alert-triangle'],
  info: ['info', 'info-circle'],
  late: ['late', 'clock', 'warn'],
}

/** A state, in words and a colour. */
export const Status = ({ value }: { value: string }) => {
  const [word, icon, kind = value] = statuses[value] ?? [value, 'point']
  return (
    <span class={`status ${kind}`}>
      <Icon name={icon} /> {word}
    </span>
  )
}

interface TabsProps {
  label: string
  /** Pages of one thing: path, name, and how many there are, if that is known. */
  of: readonly (readonly [path: string, name: string, count?: number])[]
  at: string
}

export const Tabs = ({ label, of, at }: TabsProps) => (
  <nav class="nav nav-tabs" aria-label={label}>
    {of.map(([path, name, count]) => (
      <a
        href={path}
        class={path === at ? 'nav-link active' : 'nav-link'}
        aria-current={path === at ? 'page' : undefined}
      >
        {name}
        {count !== undefined && <span class="count">{count}</span>}
      </a>
    ))}
  </nav>
)

/** A sentence about what went wrong, with its code where it has one. */
export const Problem = ({ code, children }: { code?: string; children?: Child }) => (
  <p class="problem" role="alert">
    {children}
    {code !== undefined && (
      <>
        {' '}
        <code>{code}</code>
      </>
    )}
  </p>
)

/** In place of a list without entries: says what to do first. */
export const Empty = ({ icon, children, action }: { icon?: string; children?: Child; action?: Child }) => (
  <div class="empty">
    {icon !== undefined && <Icon name={icon} />}
    <p class="empty-subtitle">{children}</p>
    {action !== undefined && <div class="empty-action">{action}</div>}
  </div>
)

/** Label and value pairs. */
export const Facts = ({ of }: { of: readonly (readonly [string, Child])[] }) => (
  <dl class="datagrid panel">
    {of.map(([name, value]) => (
      <div>
        <dt class="datagrid-title">{name}</dt>
        <dd class="datagrid-content">{value}</dd>
      </div>
    ))}
  </dl>
)
