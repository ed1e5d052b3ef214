import type { ComponentChildren, JSX } from "preact";

interface Column<Row> {
	title: string;
	cell: (row: Row) => ComponentChildren;
	/** A column of buttons, whose title is only for screen readers. */
	isAction?: boolean;
}

interface TableProps<Row> {
	/** Name of the rows. */
	caption: string;
	columns: Column<Row>[];
	rows: Row[];
	rowKey: (row: Row) => string;
}

/** A table whose rows are named by their first column; on a phone each row is a block with the
 * titles beside the values. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>): JSX.Element {
	return (
		<table class="table">
			<caption class="only-read">{caption}</caption>
			<thead>
				<tr>
					{columns.map(({ title, isAction }) => (
						<th key={title} scope="col">
							<span class={isAction ? "only-read" : ""}>{title}</span>
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<tr key={rowKey(row)}>
						{columns.map(({ title, cell, isAction }, i) =>
							i === 0 ? (
								<th key={title} scope="row">
									{cell(row)}
								</th>
							) : (
								<td key={title} data-title={isAction ? undefined : title}>
									{cell(row)}
								</td>
							),
						)}
					</tr>
				))}
			</tbody>
		</table>
	);
}
