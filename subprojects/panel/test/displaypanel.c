/* The panel client alone, so that its tests need no displayctl. */
#include "panel/panel.h"

#include <stddef.h>

int main(int argc, char **argv)
{
	return panel_main(argc, argv, NULL);
}
