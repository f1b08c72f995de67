/** Names that APIs give to their parameters and answers of paging, without `_`, `-` and case. */

export const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9[\]]/g, '')

const among =
  (names: string) =>
  (name: string): boolean =>
    names.split(' ').includes(plain(name))

export const isOffsetName = among(
  'offset skip startat startindex start firstresult pageoffset page[offset] from resultoffset recordoffset',
)
export const isPageName = among('page pagenumber pageno pagenum pageindex currentpage p page[number] pageid')
export const isLimitName = among(
  'limit maxresults max perpage pagesize size take top count rows first pagelimit page[limit] page[size] results itemsperpage num resultsperpage recordsperpage maxrecords',
)
/** Limits that go with a page number rather than with an offset. */
export const isPageSizeName = among(
  'perpage pagesize size page[size] itemsperpage resultsperpage recordsperpage',
)
export const isCursorName = among(
  'cursor after pagetoken nextpagetoken nexttoken nextcursor continuationtoken continuation scrollid bookmark marker startingafter startafter page[after] page[cursor] aftercursor endcursor token pagecursor paginationtoken exclusivestartkey cursormark',
)
/** Parameters that take the id of the last item. */
export const isAfterIdName = among('sinceid afterid startingafter lastid minid idgt fromid')
export const isTotalName = among(
  'total totalcount totalresults totalitems totalrecords totalrows totalelements totalsize totalhits resultcount recordcount numfound totalentries itemcount count',
)
export const isMoreName = among('hasmore hasnext hasnextpage more moreitems ismore hasmoreitems')
export const isLastName = among('last islast islastpage done finished')

/** The parameter that carries a cursor, by the name of the field that gives it. */
export const cursorParams: Readonly<Record<string, string>> = {
  endcursor: 'after',
  nextcursor: 'cursor',
  nextpagecursor: 'cursor',
  cursor: 'cursor',
  next: 'cursor',
  after: 'after',
  nexttoken: 'nextToken',
  token: 'token',
  continuation: 'continuation',
  scrollid: 'scroll_id',
  bookmark: 'bookmark',
  marker: 'marker',
  nextmarker: 'marker',
  startingafter: 'starting_after',
  nextoffset: 'offset',
  offset: 'offset',
  nextpage: 'page',
  nextstart: 'start',
}
