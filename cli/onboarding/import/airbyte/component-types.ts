/**
 * Types that a component has by its place when it names none (the manifest language's YAML reference): the type of what holds it, a dot,
 * and its key.
 */
export const typeByPlace: Readonly<Record<string, string>> = {
  'DeclarativeSource.streams': 'DeclarativeStream',
  'DeclarativeStream.retriever': 'SimpleRetriever',
  'SimpleRetriever.requester': 'HttpRequester',
  'SimpleRetriever.record_selector': 'RecordSelector',
  'SimpleRetriever.paginator': 'NoPagination',
  'RecordSelector.extractor': 'DpathExtractor',
  'RecordSelector.record_filter': 'RecordFilter',
  'HttpRequester.error_handler': 'DefaultErrorHandler',
  'CompositeErrorHandler.error_handlers': 'DefaultErrorHandler',
  'DefaultErrorHandler.response_filters': 'HttpResponseFilter',
  'DefaultPaginator.page_size_option': 'RequestOption',
  'DefaultPaginator.page_token_option': 'RequestOption',
  'DatetimeBasedCursor.start_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.end_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.start_time_option': 'RequestOption',
  'DatetimeBasedCursor.end_time_option': 'RequestOption',
  'ListPartitionRouter.request_option': 'RequestOption',
  'SubstreamPartitionRouter.parent_stream_configs': 'ParentStreamConfig',
  'ParentStreamConfig.request_option': 'RequestOption',
  'ParentStreamConfig.stream': 'DeclarativeStream',
  'AddFields.fields': 'AddedFieldDefinition',
}

/** Keys of components that `$parameters` of the same name give a value to. */
export const keysByType: Readonly<Record<string, readonly string[]>> = {
  DeclarativeStream: ['name', 'primary_key', 'incremental_sync', 'transformations'],
  SimpleRetriever: ['requester', 'record_selector', 'paginator', 'partition_router', 'decoder'],
  HttpRequester: [
    ...['url_base', 'url', 'path', 'http_method', 'authenticator', 'error_handler', 'request_headers'],
    ...['request_parameters', 'request_body_json', 'request_body_data', 'request_body'],
  ],
  RecordSelector: ['extractor', 'record_filter'],
  RecordFilter: ['condition'],
  DpathExtractor: ['field_path'],
  DefaultPaginator: ['pagination_strategy', 'page_token_option', 'page_size_option'],
  PageIncrement: ['page_size', 'start_from_page', 'inject_on_first_request'],
  OffsetIncrement: ['page_size', 'inject_on_first_request'],
  CursorPagination: ['cursor_value', 'stop_condition', 'page_size'],
  RequestOption: ['field_name', 'field_path', 'inject_into'],
  DatetimeBasedCursor: [
    ...['cursor_field', 'datetime_format', 'start_datetime', 'end_datetime', 'step', 'lookback_window'],
    ...['cursor_granularity', 'cursor_datetime_formats', 'start_time_option', 'end_time_option'],
  ],
  ListPartitionRouter: ['values', 'cursor_field', 'request_option'],
  SubstreamPartitionRouter: ['parent_stream_configs'],
  ParentStreamConfig: ['stream', 'parent_key', 'partition_field', 'request_option'],
  BearerAuthenticator: ['api_token'],
  ApiKeyAuthenticator: ['api_token', 'header', 'inject_into'],
  BasicHttpAuthenticator: ['username', 'password'],
}
