/* Draws with libgd, whose images are arrays of pointers to rows, and writes the picture as GIF. */
#include <gd.h>
#include <stdio.h>

int main(int argc, char **argv) {
    gdImagePtr image = gdImageCreate(240, 160);
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    int colour[8];
    if (!image || !file)
        return 1;
    for (int i = 0; i < 8; i++)
        colour[i] = gdImageColorAllocate(image, i * 32, 255 - i * 32, i * 16);
    for (int i = 0; i < 80; i += 4) {
        gdImageRectangle(image, i, i / 2, 239 - i, 159 - i / 2, colour[i / 4 % 8]);
        gdImageLine(image, i * 3, 0, 239 - i, 159, colour[(i / 4 + 3) % 8]);
        gdImageFilledEllipse(image, 120, 80, 60 - i / 2, 50 - i / 2, colour[(i / 4 + 5) % 8]);
    }
    gdImageGif(image, file);
    fclose(file);
    gdImageDestroy(image);
    return 0;
}
