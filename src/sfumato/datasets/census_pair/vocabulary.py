"""What an expert would say about the census pair: acceptable ranges, and words for 12 attributes.

The ranges are those of Table 4 of the source. The words are those it names; what they mean there is lost, so
the numbers are ours. As in the source, the attribute `english` only has a range.
"""

HARMONISATION = """
[attributes.age]
range = [18, 45]

[attributes.education]
range = [1, 11]

[attributes.sex]

[attributes.race]
range = [1, 2]

[attributes.hours]
range = [0, 100]

[attributes.hispanic]

[attributes.marital]

[attributes.transport]
range = [0, 70]

[attributes.departure]
range = [1, 2359]

[attributes.travel_time]
range = [1, 119]

[attributes.weeks]
range = [1, 6]

[attributes.income]
range = [0, 200000]

[attributes.english]
range = [2, 5]

[attributes.workplace]

[attributes.military]
optional = true
"""

WORDS = """
[age]
young = { trapezoid = [16, 16, 22, 26], phrase = "young" }
"in the twenties" = { trapezoid = [22, 25, 28, 31], phrase = "in the twenties" }
"in the thirties" = { trapezoid = [28, 31, 34, 37], phrase = "in the thirties" }
"around forty" = { trapezoid = [34, 37, 40, 43], phrase = "around forty" }
old = { trapezoid = [40, 43, 90, 90], phrase = "older" }

[education]
low = { trapezoid = [0, 0, 6, 8], phrase = "little schooling" }
high = { trapezoid = [6, 8, 11, 11], phrase = "much schooling" }

[sex]
male = { set = ["1"], phrase = "male" }
female = { set = ["2"], phrase = "female" }

[race]
white = { set = ["1"], phrase = "white" }
black = { set = ["2"], phrase = "black" }

[hours]
low = { trapezoid = [0, 0, 25, 35], phrase = "few working hours" }
medium = { trapezoid = [25, 35, 42, 50], phrase = "usual working hours" }
high = { trapezoid = [42, 50, 99, 99], phrase = "long working hours" }

[hispanic]
no = { set = ["0"], phrase = "not Hispanic" }
yes = { set = ["1", "2", "3", "4"], phrase = "Hispanic" }

[marital]
married = { set = ["1", "2"], phrase = "married" }
"not married" = { set = ["3", "4", "5", "6"], phrase = "not married" }

[transport]
car = { set = ["10", "20"], phrase = "drives to work" }
public = { set = ["30", "33", "34"], phrase = "public transport" }
walked = { set = ["50"], phrase = "walks to work" }

[departure]
night = { trapezoid = [0, 0, 530, 630], phrase = "leaves at night" }
morning = { trapezoid = [530, 630, 900, 1000], phrase = "leaves in the morning" }
day = { trapezoid = [900, 1000, 2359, 2359], phrase = "leaves during the day" }

[travel_time]
little = { trapezoid = [0, 0, 12, 18], phrase = "short way" }
medium = { trapezoid = [12, 18, 35, 45], phrase = "medium way" }
much = { trapezoid = [35, 45, 180, 180], phrase = "long way" }

[weeks]
abnormal = { set = ["1", "2", "3", "4"], phrase = "part of the year" }
normal = { set = ["5", "6"], phrase = "all year" }

[income]
low = { trapezoid = [-20000, -20000, 14000, 20000], phrase = "low income" }
medium = { trapezoid = [14000, 20000, 34000, 42000], phrase = "medium income" }
high = { trapezoid = [34000, 42000, 5000000, 5000000], phrase = "high income" }
"""
