// The requests of Video4Linux2 as numbers: their macros compute them in a way that Swift can't see.

#ifndef MATTE_CV4L2_SHIM_H
#define MATTE_CV4L2_SHIM_H

#include <linux/videodev2.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>

static const unsigned long V4L2QueryCapability = VIDIOC_QUERYCAP;
static const unsigned long V4L2GetFormat = VIDIOC_G_FMT;
static const unsigned long V4L2SetFormat = VIDIOC_S_FMT;
static const unsigned long V4L2StreamOn = VIDIOC_STREAMON;
static const unsigned long V4L2EnumerateFormats = VIDIOC_ENUM_FMT;
static const unsigned long V4L2EnumerateFrameSizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long V4L2EnumerateFrameIntervals = VIDIOC_ENUM_FRAMEINTERVALS;

static inline unsigned int V4L2Major(unsigned long device) { return major(device); }

#endif
